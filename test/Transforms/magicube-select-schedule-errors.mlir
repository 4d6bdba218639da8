// RUN: not magicube-opt %s --magicube-select-schedule=chip=sm_75 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not magicube-opt %s --magicube-select-schedule=chip=A100 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// OLD: error: chip sm_75 is below the minimum sm_80
// OLD: note: use one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
// UNKNOWN: error: unknown chip 'A100', expected one of sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
module {}
