# C: lanes 8 t + g instead of 4 g + t.
set(FROM [[
        L::identity1D(kMmaGroupLanes, dim::lane, dim::n) *
        L::identity1D(kMmaGroups, dim::lane, dim::m) *
        L::identity1D(mRegisters, dim::reg, dim::m);
]])
set(TO [[
        L::identity1D(kMmaGroups, dim::lane, dim::m) *
        L::identity1D(kMmaGroupLanes, dim::lane, dim::n) *
        L::identity1D(mRegisters, dim::reg, dim::m);
]])
