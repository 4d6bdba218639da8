// RUN: magicube-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{unknown MMA instruction 'm16n8k8' for elements of type 'si8'}}
func.func private @unknown_instruction(!magicube_gpu.fragment<"m16n8k8", a, si8>)

// -----

// expected-error@+1 {{unknown MMA instruction 'm16n8k64' for elements of type 'si8'}}
func.func private @other_width_of_instruction(!magicube_gpu.fragment<"m16n8k64", a, si8>)

// -----

// expected-error@+1 {{unknown MMA instruction 'm16n8k32' for elements of type 'si32'}}
func.func private @operand_as_wide_as_accumulator(!magicube_gpu.fragment<"m16n8k32", a, si32>)

// -----

// expected-error@+1 {{expected elements of operand a to be integers with a sign, such as si8, but got 'i8'}}
func.func private @operand_without_sign(!magicube_gpu.fragment<"m16n8k32", a, i8>)

// -----

// expected-error@+1 {{expected elements of operand c to be i32 or f32, but got 'f16'}}
func.func private @half_accumulator(!magicube_gpu.fragment<"m16n8k32", c, f16>)

// -----

// expected-error@+2 {{expected ::mlir::magicube_gpu::MmaOperand to be one of: a, b, c}}
// expected-error@+1 {{failed to parse MagicubeGPU_FragmentType parameter 'operand'}}
func.func private @unknown_operand(!magicube_gpu.fragment<"m16n8k32", d, i32>)

// -----

// expected-error@+1 {{expected 1, 2, 4, 8 or 16 registers, but got 3}}
func.func private @three_registers(!magicube_gpu.registers<3>)

// -----

// expected-error@+1 {{expected at least one row and one stage, but got 0 and 1}}
func.func private @no_rows(!magicube_gpu.tile<rows = 0, row_bytes = 16>)

// -----

// expected-error@+1 {{expected at least one row and one stage, but got 32 and 0}}
func.func private @no_stages(!magicube_gpu.tile<rows = 32, row_bytes = 16, stages = 0>)

// -----

// expected-error@+1 {{expected row_bytes to be a positive multiple of 16, but got 24}}
func.func private @part_of_chunk(!magicube_gpu.tile<rows = 32, row_bytes = 24>)

// -----

// expected-error@+1 {{expected a ring of at most 2147483647 bytes, but got 1 stages of 9223372036854775807 rows of 16 bytes}}
func.func private @huge_tile(!magicube_gpu.tile<rows = 9223372036854775807, row_bytes = 16>)

// -----

// expected-error@+3 {{expected offset to be a multiple of 16 from 0 to 2147483647, but got -16}}
// expected-error@+2 {{failed to parse MagicubeGPU_TileType parameter 'layout'}}
func.func private @negative_offset(!magicube_gpu.tile<rows = 32, row_bytes = 32,
    layout = <offset = -16, stage_bytes = 1024, pitch = 32, swizzle_mask = 1, swizzle_shift = 2>>)

// -----

// expected-error@+1 {{expected swizzle_mask to be 0, 1, 3 or 7, but got 2}}
#mask = #magicube_gpu.shared_layout<offset = 0, stage_bytes = 1024, pitch = 64, swizzle_mask = 2, swizzle_shift = 1>

// -----

// expected-error@+1 {{expected swizzle_shift to be 0, 1 or 2, but got 3}}
#shift = #magicube_gpu.shared_layout<offset = 0, stage_bytes = 1024, pitch = 64, swizzle_mask = 3, swizzle_shift = 3>

// -----

// expected-error@+1 {{expected pitch and stage_bytes to hold a row of 32 bytes and 32 rows, but got 16 and 1024}}
func.func private @rows_overlap(!magicube_gpu.tile<rows = 32, row_bytes = 32,
    layout = <offset = 0, stage_bytes = 1024, pitch = 16, swizzle_mask = 0, swizzle_shift = 0>>)

// -----

// expected-error@+1 {{expected pitch and stage_bytes to hold a row of 32 bytes and 32 rows, but got 32 and 512}}
func.func private @stages_overlap(!magicube_gpu.tile<rows = 32, row_bytes = 32, stages = 2,
    layout = <offset = 0, stage_bytes = 512, pitch = 32, swizzle_mask = 0, swizzle_shift = 0>>)

// -----

// expected-error@+1 {{expected swizzle_mask to keep chunks in their row of 2, but got 3}}
func.func private @swizzle_leaves_row(!magicube_gpu.tile<rows = 32, row_bytes = 32,
    layout = <offset = 0, stage_bytes = 1024, pitch = 32, swizzle_mask = 3, swizzle_shift = 1>>)
