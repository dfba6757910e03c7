// SPDX-License-Identifier: Apache-2.0
// Constants of the kind "bus", for RTL and C++ alike: <rtl/bus_pkg.h> is made from this file
// (fredsim_rtl_package).
package bus_pkg;
  localparam bit [31:0] BUS_ID = 32'hB055_0001;  // value of the identity register of a bus_switch
endpackage
