// RUN: magicube-opt %s --magicube-select-schedule | FileCheck %s
// RUN: magicube-opt %s --magicube-select-schedule=chip=sm_120 | FileCheck %s --check-prefix=CHIP
// RUN: magicube-opt %s --magicube-select-schedule=chip=sm_86 | FileCheck %s --check-prefix=INT4
// RUN: magicube-opt %s --magicube-select-schedule=chip=sm_90 | FileCheck %s --check-prefix=H200

#v2 = #magicube.sr_bcrs<vector = 2>
#v1 = #magicube.sr_bcrs<vector = 1>
#v4 = #magicube.sr_bcrs<vector = 4>
#v8 = #magicube.sr_bcrs<vector = 8>
#v16 = #magicube.sr_bcrs<vector = 16>

// CHECK: module attributes {magicube.chip = "sm_80"}
// CHIP: module attributes {magicube.chip = "sm_120"}

// Wide or unknown: tiles of 128 columns. Permutes are saved where the vectors are
// short.
// CHECK-LABEL: @wide
// CHECK: schedule = #magicube.schedule<tile_n = 128, warps = 2, placement = #magicube.gathered<smem_stages = 2>>
// CHECK: schedule = #magicube.schedule<tile_n = 128, warps = 2, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 2>>
func.func @wide(%a: tensor<16x32xi8, #v8>, %short: tensor<16x32xi8, #v4>, %b: tensor<32x?xi8>) {
  %0 = magicube.spmm %a, %b : (tensor<16x32xi8, #v8>, tensor<32x?xi8>) -> tensor<16x?xi32>
  %1 = magicube.spmm %short, %b : (tensor<16x32xi8, #v4>, tensor<32x?xi8>) -> tensor<16x?xi32>
  return
}

// The next power of two, at least one fragment, which is not enough to interleave;
// a deeper ring and narrower warps.
// CHECK-LABEL: @narrow
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 6>>
// CHECK: schedule = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.gathered<smem_stages = 6>>
// CHECK: schedule = #magicube.schedule<tile_n = 32, warps = 1, layout = <form = interleaved>, placement = #magicube.gathered<smem_stages = 6>>
func.func @narrow(%a: tensor<16x32xi8, #v1>, %none: tensor<32x0xi8>, %one: tensor<32x1xi8>,
                  %seventeen: tensor<32x17xi8>) {
  %0 = magicube.spmm %a, %none : (tensor<16x32xi8, #v1>, tensor<32x0xi8>) -> tensor<16x0xi32>
  %1 = magicube.spmm %a, %one : (tensor<16x32xi8, #v1>, tensor<32x1xi8>) -> tensor<16x1xi32>
  %2 = magicube.spmm %a, %seventeen : (tensor<16x32xi8, #v1>, tensor<32x17xi8>) -> tensor<16x17xi32>
  return
}

// A choice that has been made is kept.
// CHECK-LABEL: @chosen
// CHECK: schedule = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.gathered<smem_stages = 7>>
func.func @chosen(%a: tensor<16x32xi8, #v4>, %b: tensor<32x256xi8>) {
  %0 = magicube.spmm %a, %b {schedule = #magicube.schedule<tile_n = 64, warps = 4, placement = #magicube.gathered<smem_stages = 7>>}
     : (tensor<16x32xi8, #v4>, tensor<32x256xi8>) -> tensor<16x256xi32>
  return
}

// int4 MMAs: spread as long as that takes no more MMA time than merged operands
// or ldmatrix hides it, which on sm_80 it does at V = 8. A warp has half the
// columns at V = 16.
// CHECK-LABEL: @int4
// CHECK: layout = <form = spread>
// CHECK: layout = <form = spread>
// CHECK: tile_n = 256, warps = 4, layout = <form = merged>, placement = #magicube.gathered<smem_stages = 2>
// CHECK: layout = <form = spread>
// CHECK: layout = <form = merged>
// INT4-LABEL: @int4
// INT4: layout = <form = spread>
// INT4: layout = <form = merged>
// INT4: tile_n = 256, warps = 4, layout = <form = merged>, placement = #magicube.gathered<smem_stages = 2>
// INT4: layout = <form = spread>
// INT4: layout = <form = merged>
func.func @int4(%a4: tensor<16x32xi4, #v4>, %a8: tensor<16x32xi4, #v8>, %a16: tensor<16x32xi4, #v16>,
                %w4: tensor<16x32xi12, #v4>, %w8: tensor<16x32xi12, #v8>, %b: tensor<32x?xi4>) {
  %0 = magicube.spmm %a4, %b {compute = i4} : (tensor<16x32xi4, #v4>, tensor<32x?xi4>) -> tensor<16x?xi32>
  %1 = magicube.spmm %a8, %b {compute = i4} : (tensor<16x32xi4, #v8>, tensor<32x?xi4>) -> tensor<16x?xi32>
  %2 = magicube.spmm %a16, %b {compute = i4} : (tensor<16x32xi4, #v16>, tensor<32x?xi4>) -> tensor<16x?xi32>
  %3 = magicube.spmm %w4, %b {compute = i4} : (tensor<16x32xi12, #v4>, tensor<32x?xi4>) -> tensor<16x?xi32>
  %4 = magicube.spmm %w8, %b {compute = i4} : (tensor<16x32xi12, #v8>, tensor<32x?xi4>) -> tensor<16x?xi32>
  return
}

// Wide values: an MMA for each of two digits, one for both if they are unsigned and
// there are columns for them.
// CHECK-LABEL: @wide_sparse
// CHECK: layout = <form = interleaved, order = paired>, placement
// CHECK: layout = <form = interleaved, order = paired, idle_columns = digits>, placement
// CHECK: layout = <form = interleaved, order = paired>, placement
// CHECK: layout = <form = transposed, idle_columns = digits>, placement
// CHECK: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>}
// Permutes are cheaper than MMAs on sm_120.
// CHIP-LABEL: @wide_sparse
// CHIP: layout = <form = interleaved, order = paired>, placement
// CHIP: layout = <form = interleaved, order = paired, idle_columns = digits>, placement
// CHIP: layout = <form = transposed, idle_columns = digits>, placement
func.func @wide_sparse(%a2: tensor<16x32xi16, #v2>, %a4: tensor<16x32xi12, #v4>,
                       %b8: tensor<32x64xi8>, %b16: tensor<32x64xi16>) {
  %0 = magicube.spmm %a2, %b8 : (tensor<16x32xi16, #v2>, tensor<32x64xi8>) -> tensor<16x64xi32>
  %1 = magicube.spmm %a2, %b8 {unsigned_lhs} : (tensor<16x32xi16, #v2>, tensor<32x64xi8>) -> tensor<16x64xi32>
  %2 = magicube.spmm %a4, %b8 {unsigned_lhs} : (tensor<16x32xi12, #v4>, tensor<32x64xi8>) -> tensor<16x64xi32>
  %3 = magicube.spmm %a4, %b16 {unsigned_lhs} : (tensor<16x32xi12, #v4>, tensor<32x64xi16>) -> tensor<16x64xi32>
  %4 = magicube.spmm %a4, %b16 : (tensor<16x32xi12, #v4>, tensor<32x64xi16>) -> tensor<16x64xi32>
  return
}

// 16-bit dense values: raw where one MMA multiplies both bytes, else transposed.
// CHECK-LABEL: @wide_dense
// CHECK: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
// CHECK: layout = <form = raw, idle_columns = digits>, placement
// CHECK: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
// CHIP-LABEL: @wide_dense
// CHIP: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
// CHIP: layout = <form = raw, idle_columns = digits>, placement
// CHIP: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
// H200-LABEL: @wide_dense
// H200: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
func.func @wide_dense(%a8: tensor<16x32xi8, #v8>, %a4: tensor<16x32xi8, #v4>,
                      %nibbles: tensor<16x32xi4, #v8>, %b: tensor<32x64xi16>) {
  %0 = magicube.spmm %a8, %b : (tensor<16x32xi8, #v8>, tensor<32x64xi16>) -> tensor<16x64xi32>
  %1 = magicube.spmm %a4, %b {unsigned_rhs} : (tensor<16x32xi8, #v4>, tensor<32x64xi16>) -> tensor<16x64xi32>
  %2 = magicube.spmm %nibbles, %b : (tensor<16x32xi4, #v8>, tensor<32x64xi16>) -> tensor<16x64xi32>
  return
}

// CHECK-LABEL: @nibbles
// CHECK: layout = <form = interleaved>, placement
// CHECK: layout = <form = interleaved>, placement
// CHECK: warps = {{[0-9]+}}, placement = #magicube.gathered<smem_stages = 6>>
func.func @nibbles(%a: tensor<16x32xi8, #v4>, %short: tensor<16x32xi4, #v4>,
                   %long: tensor<16x32xi4, #v8>, %b: tensor<32x128xi4>) {
  %0 = magicube.spmm %a, %b : (tensor<16x32xi8, #v4>, tensor<32x128xi4>) -> tensor<16x128xi32>
  %1 = magicube.spmm %short, %b : (tensor<16x32xi4, #v4>, tensor<32x128xi4>) -> tensor<16x128xi32>
  %2 = magicube.spmm %long, %b : (tensor<16x32xi4, #v8>, tensor<32x128xi4>) -> tensor<16x128xi32>
  return
}

//===----------------------------------------------------------------------===//
// Stationary or gathered
//===----------------------------------------------------------------------===//

#bank = #magicube.sr_bcrs<vector = 8, order = bank_aware, index = u16>
#bank4 = #magicube.sr_bcrs<vector = 4, order = bank_aware, index = u16>
#bank16 = #magicube.sr_bcrs<vector = 16, order = bank_aware, index = u16>
#short = #magicube.sr_bcrs<vector = 8, stride = 16, order = bank_aware, index = u16>

// The pattern decides, and is gone.
// H200-LABEL: @pattern
// H200-NOT: pattern =
// H200: schedule = #magicube.schedule<tile_n = 64, warps = 16, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
// H200: schedule = #magicube.schedule<tile_n = 128, warps = 2, placement = #magicube.gathered<smem_stages = 2>>
func.func @pattern(%a: tensor<2048x2304xi8, #bank>, %b: tensor<2304x512xi8>) {
  %0 = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<2048x2304xi8, #bank>, tensor<2304x512xi8>) -> tensor<2048x512xi32>
  %1 = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 16420, longest = 123>}
     : (tensor<2048x2304xi8, #bank>, tensor<2304x512xi8>) -> tensor<2048x512xi32>
  return
}

// Unknown: a tenth of the vectors.
// H200-LABEL: @assumed
// H200: schedule = #magicube.schedule<tile_n = 32, warps = 32, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
// H200: schedule = #magicube.schedule<tile_n = 32, warps = 32, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
func.func @assumed(%a: tensor<4096x4096xi8, #bank>, %b: tensor<4096x4096xi8>,
                   %c: tensor<?x4096xi8, #bank>, %d: tensor<4096x?xi8>) {
  %0 = magicube.spmm %a, %b : (tensor<4096x4096xi8, #bank>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
  %1 = magicube.spmm %c, %d : (tensor<?x4096xi8, #bank>, tensor<4096x?xi8>) -> tensor<?x?xi32>
  return
}

// Short vectors interleave, few columns take one fragment.
// H200-LABEL: @layouts
// H200: schedule = #magicube.schedule<tile_n = 64, warps = 16, layout = <form = interleaved>, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
// H200: schedule = #magicube.schedule<tile_n = 16, warps = 16, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
func.func @layouts(%a: tensor<2048x2304xi8, #bank4>, %b: tensor<2304x512xi8>,
                   %one: tensor<2304x1xi8>) {
  %0 = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 589824, longest = 1211>}
     : (tensor<2048x2304xi8, #bank4>, tensor<2304x512xi8>) -> tensor<2048x512xi32>
  %1 = magicube.spmm %a, %one {pattern = #magicube.pattern<vectors = 589824, longest = 1211>}
     : (tensor<2048x2304xi8, #bank4>, tensor<2304x1xi8>) -> tensor<2048x1xi32>
  return
}

// Tiles that leave enough registers, in columns of each width.
// H200-LABEL: @widths
// H200: schedule = #magicube.schedule<tile_n = 32, warps = 16, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
// H200: schedule = #magicube.schedule<tile_n = 128, warps = 16, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 132>>
// H200: schedule = #magicube.schedule<tile_n = 32, warps = 16, placement = #magicube.stationary<prefetch_stages = 4, num_ctas = 132>>
func.func @widths(%a: tensor<2048x2304xi16, #bank>, %b: tensor<2304x512xi16>,
                  %c: tensor<2048x2304xi4, #bank>, %d: tensor<2304x512xi4>,
                  %e: tensor<4096x2304xi8, #bank16>, %f: tensor<2304x512xi8>) {
  %0 = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<2048x2304xi16, #bank>, tensor<2304x512xi16>) -> tensor<2048x512xi32>
  %1 = magicube.spmm %c, %d {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<2048x2304xi4, #bank>, tensor<2304x512xi4>) -> tensor<2048x512xi32>
  %2 = magicube.spmm %e, %f {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<4096x2304xi8, #bank16>, tensor<2304x512xi8>) -> tensor<4096x512xi32>
  return
}

// What no stationary kernel takes: a dynamic K, another stride, rows that do not fit.
// H200-LABEL: @gathered
// H200-NOT: stationary
// H200: return
func.func @gathered(%a: tensor<2048x?xi8, #bank>, %b: tensor<?x512xi8>,
                    %c: tensor<2048x2304xi8, #short>, %d: tensor<2304x512xi8>,
                    %e: tensor<2048x16384xi8, #bank>, %f: tensor<16384x512xi8>) {
  %0 = magicube.spmm %a, %b {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<2048x?xi8, #bank>, tensor<?x512xi8>) -> tensor<2048x512xi32>
  %1 = magicube.spmm %c, %d {pattern = #magicube.pattern<vectors = 294912, longest = 1211>}
     : (tensor<2048x2304xi8, #short>, tensor<2304x512xi8>) -> tensor<2048x512xi32>
  %2 = magicube.spmm %e, %f {pattern = #magicube.pattern<vectors = 2097152, longest = 8192>}
     : (tensor<2048x16384xi8, #bank>, tensor<16384x512xi8>) -> tensor<2048x512xi32>
  return
}
