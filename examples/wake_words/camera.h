/* camera.h - what board.c and host.c start. */
#ifndef CAMERA_H
#define CAMERA_H

/* Prints the scores of each frame; 0: all went well. */
int watch(void);

#endif
