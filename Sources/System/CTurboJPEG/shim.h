#ifndef LCFILE_CTURBOJPEG_H
#define LCFILE_CTURBOJPEG_H

#include <turbojpeg.h>

#endif
