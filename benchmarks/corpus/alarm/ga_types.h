/* Basic types of the generated code. */
#ifndef GA_TYPES_H
#define GA_TYPES_H

typedef _Bool GABOOL;
typedef unsigned char GAUINT8;
typedef unsigned short GAUINT16;

#define GATRUE 1
#define GAFALSE 0

#endif
