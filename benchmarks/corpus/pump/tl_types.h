/* Basic types of the generated code. */
#ifndef TL_TYPES_H
#define TL_TYPES_H

typedef unsigned char Bool;
typedef unsigned char UInt8;
typedef unsigned short UInt16;
typedef void Void;

#endif
