#ifndef __chaincover_stdnoreturn_h
#define __chaincover_stdnoreturn_h
#define noreturn _Noreturn
#endif
