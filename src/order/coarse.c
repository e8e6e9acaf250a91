/* coarse.c - see coarse.h. */
#include "order/coarse.h"

static const ash_order_range nothing[] = {{0, 0}}, all[] = {{0, 1}};

static const ash_order_access *join(ash_zone *zone, const ash_order_access *a,
                                    uint32_t count, uint32_t steps) {
  ash_order_access *joined =
      ASH_NEW_ARRAY(zone, ash_order_access, (size_t)count + 1);
  for (uint32_t k = 0; joined && k < count; k++) {
    joined[k] = (ash_order_access){a[k].tensor, nothing};
    for (uint32_t s = 0; s < steps; s++)
      if (a[k].rows[s].from < a[k].rows[s].to)
        joined[k].rows = all;
  }
  return joined;
}

bool ash_order_coarse(ash_order_problem *out, ash_zone *zone,
                      const ash_order_problem *p) {
  ash_order_tensor *tensors =
      ASH_NEW_ARRAY(zone, ash_order_tensor, (size_t)p->tensor_count + 1);
  ash_order_op *ops =
      ASH_NEW_ARRAY(zone, ash_order_op, (size_t)p->op_count + 1);
  if (zone->failed)
    return false;
  for (uint32_t t = 0; t < p->tensor_count; t++) {
    tensors[t] = p->tensors[t];
    tensors[t].row_bytes *= tensors[t].rows;
    tensors[t].rows = tensors[t].rows > 0;
  }
  for (uint32_t i = 0; i < p->op_count; i++) {
    const ash_order_op *o = &p->ops[i];
    ops[i] = *o;
    ops[i].steps = 1;
    ops[i].reads = join(zone, o->reads, o->read_count, o->steps);
    ops[i].writes = join(zone, o->writes, o->write_count, o->steps);
  }
  *out = (ash_order_problem){tensors, ops, p->tensor_count, p->op_count};
  return !zone->failed;
}

bool ash_order_has_steps(const ash_order_problem *p) {
  for (uint32_t op = 0; op < p->op_count; op++)
    if (p->ops[op].steps > 1)
      return true;
  return false;
}
