#ifndef LCFILE_CMAGIC_H
#define LCFILE_CMAGIC_H

#include <magic.h>

#endif
