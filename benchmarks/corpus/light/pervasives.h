/* Basic types of the generated code: truth values are of type int. */
#ifndef PERVASIVES_H
#define PERVASIVES_H

typedef int bool;

#define true 1
#define false 0

#endif
