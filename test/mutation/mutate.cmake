# cmake -DINPUT=.. -DOUTPUT=.. -DMUTATION=.. -P mutate.cmake
# Copies a file with FROM replaced by TO, as the script MUTATION sets them; FROM
# must stand in the file exactly once.
include("${MUTATION}")
file(READ "${INPUT}" text)
string(FIND "${text}" "${FROM}" first)
string(FIND "${text}" "${FROM}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${MUTATION}: expected once in ${INPUT}:\n${FROM}")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
