#ifndef CPCRE_SHIM_H
#define CPCRE_SHIM_H

/* The 8-bit library: its functions end in _8, because Swift does not see the macros that hide that. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
