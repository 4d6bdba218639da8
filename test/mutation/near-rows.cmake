# C: a lane's rows are 2 g and 2 g + 1 instead of g and g + 8.
set(FROM [[
  L c = L::identity1D(nPerLane, dim::reg, dim::n) *
        L::identity1D(kMmaGroupLanes, dim::lane, dim::n) *
        L::identity1D(kMmaGroups, dim::lane, dim::m) *
        L::identity1D(mRegisters, dim::reg, dim::m);
]])
set(TO [[
  L c = L::identity1D(nPerLane, dim::reg, dim::n) *
        L::identity1D(kMmaGroupLanes, dim::lane, dim::n) *
        L::identity1D(mRegisters, dim::reg, dim::m) *
        L::identity1D(kMmaGroups, dim::lane, dim::m);
]])
