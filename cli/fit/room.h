/* room.h - what a model that does not fit a device would need: the plan for a
 * device of the same kind with larger memories, and what is missing. */
#ifndef CLI_ROOM_H
#define CLI_ROOM_H

#include "session.h"

enum { ROOM_ARENAS = 3 * ASH_MEMORY_MAX };

typedef struct shortage {
  const char *memory;
  uint64_t needs, has; /* bytes; the reserve is taken off `has` */
} shortage;

typedef struct room {
  const ash_device *device; /* the real one                                */
  ash_compiled made; /* for larger memories                                */
  ash_plan plan;     /* the same, with the capacities of the real device   */
  ash_arena arenas[ROOM_ARENAS];
  shortage shortages[ASH_MEMORY_MAX]; /* of memories that are too small     */
  uint32_t shortage_count;
} room;

/* Plans for larger memories, in the order that needs least. False: that fails
 * too. What is said meanwhile is forgotten. Drop `made` at the end. */
bool plan_with_room(session *s, room *r, const char *path,
                    const ash_device *device);

#endif
