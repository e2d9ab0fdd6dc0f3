#ifndef LCFILE_CZSTD_H
#define LCFILE_CZSTD_H

#include <zstd.h>

#endif
