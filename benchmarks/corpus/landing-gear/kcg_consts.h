/* Constants of the model. */
#ifndef _KCG_CONSTS_H_
#define _KCG_CONSTS_H_

/* steps for which doors or gears may move */
#define MOVE_MAX 8

#endif /* _KCG_CONSTS_H_ */
