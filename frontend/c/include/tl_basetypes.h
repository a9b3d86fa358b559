/* TargetLink: base types. */
#ifndef CHAINCOVER_TL_BASETYPES_H
#define CHAINCOVER_TL_BASETYPES_H

typedef signed char Int8;
typedef unsigned char UInt8;
typedef signed short Int16;
typedef unsigned short UInt16;
#if __INT_MAX__ == 32767
typedef signed long Int32;
typedef unsigned long UInt32;
#else
typedef signed int Int32;
typedef unsigned int UInt32;
#endif
typedef signed long long Int64;
typedef unsigned long long UInt64;
typedef float Float32;
typedef double Float64;
typedef unsigned char Bool;
typedef void Void;

#endif
