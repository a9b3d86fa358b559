#ifndef __chaincover_stdalign_h
#define __chaincover_stdalign_h
#define alignas _Alignas
#define alignof _Alignof
#endif
