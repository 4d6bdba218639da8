// RUN: magicube-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{expected vector length to be one of 1, 2, 4, 8, 16, but got 3}}
#vector_of_three = #magicube.sr_bcrs<vector = 3>

// -----

// expected-error@+1 {{struct is missing required parameter: vector}}
#no_vector = #magicube.sr_bcrs<stride = 8>

// -----

// expected-error@+1 {{expected stride to be one of 8, 16, 32, 64, but got 12}}
#stride_of_twelve = #magicube.sr_bcrs<vector = 8, stride = 12>

// -----

// expected-error@+1 {{expected slab to be 0 (none) or positive, but got -1}}
#negative_slab = #magicube.sr_bcrs<vector = 8, slab = -1>

// -----

// expected-error@+2 {{expected one of natural, bank_aware, but got 'random'}}
// expected-error@+1 {{failed to parse Magicube_SRBCRSAttr parameter 'order'}}
#unknown_order = #magicube.sr_bcrs<vector = 8, order = random>

// -----

// expected-error@+2 {{expected one of i32, u16, but got 'i16'}}
// expected-error@+1 {{failed to parse Magicube_SRBCRSAttr parameter 'index'}}
#unknown_index = #magicube.sr_bcrs<vector = 8, index = i16>

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+2 {{expected dimension 0 to be a multiple of the vector length 8, but got 12}}
// expected-note@+1 {{pad the rows with zeros or choose a vector length that divides them}}
func.func private @rows_no_multiple_of_vector(tensor<12x8xi8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected dimension 0 to be dynamic or in [1, 2147483647], but got 0}}
func.func private @no_rows(tensor<0x8xi8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected dimension 1 to be dynamic or in [1, 2147483647], but got 3000000000}}
func.func private @too_many_columns(tensor<8x3000000000xi8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8, index = u16>
// expected-error@+2 {{expected at most 65535 columns with u16 indices, but got 65536}}
// expected-note@+1 {{use 32-bit indices}}
func.func private @too_many_columns_for_u16(tensor<8x65536xi8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected a sparse shape of rank 2 or more, but got 1}}
func.func private @rank_of_one(tensor<8xi8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected the elements of a sparse tensor to be signless integers, f32, f16 or bf16, but got 'f64'}}
func.func private @float_elements(tensor<8x8xf64, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected the elements of a sparse tensor to be signless integers, f32, f16 or bf16, but got 'ui8'}}
func.func private @elements_with_sign(tensor<8x8xui8, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected an element type of 1 (pattern), 4, 8, 12, 16 or 32 bits, but got 7}}
func.func private @elements_of_seven_bits(tensor<8x8xi7, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8, order = bank_aware>
// expected-error@+2 {{expected natural order for a pattern, but got bank_aware}}
// expected-note@+1 {{padding of a bank-aware order is told apart by its zero values}}
func.func private @bank_aware_pattern(tensor<8x8xi1, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected at most 2147483647 vector-rows over all batches, but got 3000000000}}
func.func private @too_many_rows_in_batch(tensor<1500000000x16x8xi8, #w>)

// -----

// expected-error@+1 {{expected vectors to be at least 0, but got -1}}
#negative_vectors = #magicube.pattern<vectors = -1, longest = 0>

// -----

// expected-error@+1 {{expected longest to be from 1 to 7, the number of vectors, but got 8}}
#longest_of_more = #magicube.pattern<vectors = 7, longest = 8>

// -----

// expected-error@+1 {{expected longest to be from 1 to 7, the number of vectors, but got 0}}
#longest_of_none = #magicube.pattern<vectors = 7, longest = 0>

// -----

// expected-error@+1 {{expected longest to be from 0 to 0, the number of vectors, but got -1}}
#negative_longest = #magicube.pattern<vectors = 0, longest = -1>

// -----

// expected-error@+1 {{expected tile_n to be a power of two from 16 to 512, but got 24}}
#tile_no_power_of_two = #magicube.schedule<tile_n = 24, warps = 1, placement = #magicube.gathered<smem_stages = 2>>

// -----

// expected-error@+1 {{expected tile_n to be a power of two from 16 to 512, but got 1024}}
#tile_too_wide = #magicube.schedule<tile_n = 1024, warps = 1, placement = #magicube.gathered<smem_stages = 2>>

// -----

// expected-error@+1 {{expected warps to be a power of two of at most tile_n / 16 = 2, but got 4}}
#warps_without_columns = #magicube.schedule<tile_n = 32, warps = 4, placement = #magicube.gathered<smem_stages = 2>>

// -----

// expected-error@+1 {{expected warps to be a power of two of at most tile_n / 16 = 2, but got 0}}
#no_warps = #magicube.schedule<tile_n = 32, warps = 0, placement = #magicube.gathered<smem_stages = 2>>

// -----

// expected-error@+1 {{expected smem_stages to be from 1 to 8, but got 9}}
#too_many_stages = #magicube.schedule<tile_n = 32, warps = 1, placement = #magicube.gathered<smem_stages = 9>>

// -----

// expected-error@+2 {{there is no operand layout 'raw,paired'}}
// expected-note@+1 {{there are transposed; transposed,digits; }}
#unknown_layout = #magicube.operand_layout<form = raw, order = paired>

// -----

// expected-error@+1 {{expected one of transposed, interleaved, raw, spread, merged, but got 'shuffled'}}
#unknown_form = #magicube.operand_layout<form = shuffled>
// expected-error@-1 {{failed to parse}}

// -----

// expected-error@+1 {{expected tile_n to be a multiple of 16 of at most 512 with stationary rows, but got 40}}
#stationary_tile_no_multiple = #magicube.schedule<tile_n = 40, warps = 1, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 1>>

// -----

// expected-error@+1 {{expected tile_n to be a multiple of 16 of at most 512 with stationary rows, but got 0}}
#stationary_tile_of_nothing = #magicube.schedule<tile_n = 0, warps = 1, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 1>>

// -----

// expected-error@+1 {{expected tile_n to be a multiple of 16 of at most 512 with stationary rows, but got 528}}
#stationary_tile_too_wide = #magicube.schedule<tile_n = 528, warps = 1, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 1>>

// -----

// expected-error@+1 {{expected warps to be a power of two of at most 32, but got 64}}
#stationary_warps = #magicube.schedule<tile_n = 16, warps = 64, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 1>>

// -----

// expected-error@+1 {{expected warps to be a power of two of at most 32, but got 6}}
#stationary_six_warps = #magicube.schedule<tile_n = 16, warps = 6, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 1>>

// -----

// expected-error@+1 {{expected num_ctas to be from 1 to 65535, but got 0}}
#stationary_no_blocks = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 0>>

// -----

// expected-error@+1 {{expected num_ctas to be from 1 to 65535, but got 65536}}
#stationary_too_many_blocks = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary<prefetch_stages = 2, num_ctas = 65536>>

// -----

// expected-error@+1 {{expected prefetch_stages to be from 1 to 8, but got 0}}
#stationary_no_stages = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary<prefetch_stages = 0, num_ctas = 1>>

// -----

// expected-error@+1 {{expected rows_per_cta to be from 1 to 4096, but got -1}}
#negative_rows = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = -1>>

// -----

// expected-error@+1 {{expected rows_per_cta to be from 1 to 4096, but got 4097}}
#too_many_rows = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 4097>>

// -----

// expected-error@+1 {{expected smem_stages to be from 1 to 8, but got 0}}
#no_buffers = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8, smem_stages = 0>>

// -----

// expected-error@+1 {{expected smem_stages to be from 1 to 8, but got 9}}
#too_many_buffers = #magicube.schedule<tile_n = 16, warps = 1, placement = #magicube.stationary_k_tiles<prefetch_stages = 2, rows_per_cta = 8, smem_stages = 9>>

// -----

// expected-error@+1 {{expected one of [conflict_free, padded, plain] for how the rows of a shared-memory tile avoid bank conflicts, got: swizzled}}
#unknown_form = #magicube.schedule<tile_n = 16, warps = 1, shared = swizzled, placement = #magicube.gathered<smem_stages = 1>>

// -----

// expected-error@+1 {{field 'recipe' of #magicube.schedule is now 'layout', a #magicube.operand_layout}}
#old_recipe = #magicube.schedule<tile_n = 16, warps = 1, recipe = "transpose">

// -----

// expected-error@+1 {{field 'rhs' of #magicube.schedule is now 'placement': #magicube.gathered, #magicube.stationary or #magicube.stationary_k_tiles}}
#old_rhs = #magicube.schedule<tile_n = 16, warps = 1, rhs = resident>

// -----

// expected-error@+1 {{field 'stages' of #magicube.schedule is now 'smem_stages' of #magicube.gathered, or 'prefetch_stages' of #magicube.stationary and #magicube.stationary_k_tiles}}
#old_stages = #magicube.schedule<tile_n = 16, warps = 1, stages = 2>

// -----

// expected-error@+1 {{field 'blocks' of #magicube.schedule is now 'num_ctas' of #magicube.stationary}}
#old_blocks = #magicube.schedule<tile_n = 16, warps = 1, blocks = 132>

// -----

// expected-error@+1 {{field 'rows' of #magicube.schedule is now 'rows_per_cta' of #magicube.stationary_k_tiles}}
#old_rows = #magicube.schedule<tile_n = 16, warps = 1, rows = 8>

// -----

// expected-error@+1 {{field 'buffers' of #magicube.schedule is now 'smem_stages' of #magicube.stationary_k_tiles}}
#old_buffers = #magicube.schedule<tile_n = 16, warps = 1, buffers = 2>

// -----

// expected-error@+1 {{expected tile_n, warps, layout, shared or placement in #magicube.schedule, but got 'smem_stages'}}
#no_such_field = #magicube.schedule<tile_n = 16, warps = 1, smem_stages = 2>

// -----

// expected-error@+1 {{field 'warps' is given twice}}
#field_twice = #magicube.schedule<tile_n = 16, warps = 1, warps = 2, placement = #magicube.gathered<smem_stages = 2>>

// -----

// expected-error@+1 {{expected tile_n, warps and placement in #magicube.schedule}}
#no_placement = #magicube.schedule<tile_n = 16, warps = 1>

// -----

// expected-error@+1 {{expected placement to be #magicube.gathered, #magicube.stationary or #magicube.stationary_k_tiles, but got 2 : i64}}
#no_such_placement = #magicube.schedule<tile_n = 16, warps = 1, placement = 2>

// -----

// expected-error@+2 {{chip sm_75 is below the minimum sm_80}}
// expected-note@+1 {{use one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120}}
module @chip_below_minimum attributes {magicube.chip = "sm_75"} {}

// -----

// expected-error@+1 {{unknown chip 'a100', expected one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120}}
module @unknown_chip attributes {magicube.chip = "a100"} {}

// -----

// expected-error@+1 {{expected 'magicube.chip' to be a string}}
module @chip_is_number attributes {magicube.chip = 80} {}

// -----

// expected-error@+1 {{expected 'magicube.chip' on a module, not here}}
func.func private @chip_on_function() attributes {magicube.chip = "sm_80"}

// -----

// expected-error@+1 {{has unknown magicube attribute 'magicube.stages'}}
module @unknown_attribute attributes {magicube.stages = 3} {}

// -----

// A type with a name that nobody defined: one error, and no crash.

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{undefined symbol alias id 'undefined'}}
func.func private @issue_10_undefined_element_type(%a: tensor<8x8x!undefined, #w>)

// -----

#w = #magicube.sr_bcrs<vector = 8>
// expected-error@+1 {{expected the elements of a sparse tensor to be signless integers, f32, f16 or bf16, but got '!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>'}}
func.func private @issue_10_element_type_without_integers(%a: tensor<8x8x!quant.calibrated<f32<-1.0:1.0>>, #w>)
