#ifndef __chaincover_errno_h
#define __chaincover_errno_h
extern int errno;
#define EDOM 33
#define ERANGE 34
#endif
