#ifndef __chaincover_ctype_h
#define __chaincover_ctype_h
int isalnum(int character);
int isalpha(int character);
int isdigit(int character);
int islower(int character);
int isspace(int character);
int isupper(int character);
int isxdigit(int character);
int tolower(int character);
int toupper(int character);
#endif
