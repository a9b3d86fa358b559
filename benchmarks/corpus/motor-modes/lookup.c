/* Interpolation in a table, in integers. */
#include "lookup.h"

/* Number of the last point whose axis is not above x; 0 also below the first one. */
uint8_t LT_Segment(const LT_Table *table, int16_t x)
{
    uint8_t k = 0U;

    while (k < (uint8_t)(TABLE_POINTS - 1) && table->axis[k + 1] <= x) {
        k++;
    }
    return k;
}

int16_t LT_Interpolate(const LT_Table *table, int16_t x)
{
    uint8_t k = LT_Segment(table, x);
    int32_t rise;
    int32_t run;

    if (k == (uint8_t)(TABLE_POINTS - 1) || x <= table->axis[0]) {
        return table->value[k];
    }
    rise = (int32_t)table->value[k + 1] - (int32_t)table->value[k];
    run = (int32_t)table->axis[k + 1] - (int32_t)table->axis[k];
    return (int16_t)((int32_t)table->value[k] + rise * ((int32_t)x - (int32_t)table->axis[k]) / run);
}
