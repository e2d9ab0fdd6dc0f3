#include "CBuild.h"

#ifndef LCFILE_COMMIT
#define LCFILE_COMMIT ""
#endif

const char *lcfile_commit(void) { return LCFILE_COMMIT; }
