#include "/dev/zero"
int n;
void step(int a) { n = a; }
