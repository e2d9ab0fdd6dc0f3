#include "CBuild.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

/* The compiler notes the file as a dependency, so that a change of it is built. */
static const char changelog[] = {
#if __has_embed("../../../CHANGELOG.md")
#embed "../../../CHANGELOG.md"
    ,
#endif
    0
};

const char *lcfile_changelog(void) { return changelog; }
