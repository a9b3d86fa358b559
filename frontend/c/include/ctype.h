/* Characters in the C locale. */
#ifndef __chaincover_ctype_h
#define __chaincover_ctype_h
int isalnum(int character);
int isalpha(int character);
int isblank(int character);
int iscntrl(int character);
int isdigit(int character);
int isgraph(int character);
int islower(int character);
int isprint(int character);
int ispunct(int character);
int isspace(int character);
int isupper(int character);
int isxdigit(int character);
int isascii(int character);
int toascii(int character);
int tolower(int character);
int toupper(int character);
#endif
