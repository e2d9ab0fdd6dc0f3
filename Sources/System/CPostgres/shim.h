#ifndef CPOSTGRES_SHIM_H
#define CPOSTGRES_SHIM_H

#include <libpq-fe.h>

/* Swift does not see macros with a cast: the codes of the fields of an error. */
static inline int lcfile_pg_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int lcfile_pg_constraint(void) { return PG_DIAG_CONSTRAINT_NAME; }
static inline int lcfile_pg_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }

#endif
