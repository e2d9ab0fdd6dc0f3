#ifndef LCFILE_CZLIB_H
#define LCFILE_CZLIB_H

#include <zlib.h>

#endif
