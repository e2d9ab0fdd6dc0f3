#ifndef LCFILE_CARCHIVE_H
#define LCFILE_CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

#endif
