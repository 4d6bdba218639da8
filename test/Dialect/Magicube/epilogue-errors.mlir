// RUN: magicube-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{expected an operand or an activation of an epilogue, but got 'tanh'}}
func.func private @unknown_step() attributes {a = #magicube.epilogue<tanh -> f32>}

// -----

// expected-error@+1 {{expected none, row or column, but got 'depth'}}
func.func private @unknown_axis() attributes {a = #magicube.epilogue<scale depth -> f32>}

// -----

// expected-error@+1 {{expected '->' after the activation}}
func.func private @step_after_activation() attributes {a = #magicube.epilogue<relu, bias row -> f32>}

// -----

// expected-error@+1 {{expected 'scale' before 'bias'}}
func.func private @wrong_order() attributes {a = #magicube.epilogue<bias row, scale none -> f32>}

// -----

// expected-error@+1 {{expected no 'sum_bias', which is added to i32 sums, next to 'float_sums'}}
func.func private @sum_bias_of_floats() attributes {a = #magicube.epilogue<float_sums, sum_bias row -> f32>}

// -----

// expected-error@+1 {{expected elements other than i32 next to steps in f32}}
func.func private @scaled_sums() attributes {a = #magicube.epilogue<scale none -> i32>}

// -----

// expected-error@+1 {{expected elements of i32, f32, f16, bf16, i8, ui8, i4 or ui4, but got 'i16'}}
func.func private @wrong_element() attributes {a = #magicube.epilogue<-> i16>}
