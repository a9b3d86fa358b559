unsigned short n, y; void step(_Bool up) { n = n + (up && n < 9); if (n > 7) while (n > 2) { n--; } y = n > 5; }
