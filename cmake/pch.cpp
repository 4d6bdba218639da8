// Translation unit that owns the precompiled header; see AddMagicube.cmake.
