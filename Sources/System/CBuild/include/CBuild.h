#pragma once

/* The commit that was built, as the variable LCFILE_COMMIT of the build names it; "" without one.
 *
 * It is in C because a new commit then compiles this file only: a macro of a Swift target would compile the whole target
 * again.
 */
const char *lcfile_commit(void);

/* CHANGELOG.md as it was built, UTF-8; "" if the build did not have it. */
const char *lcfile_changelog(void);
