import { DealSetResponse, ListResponse, type AnyShape, type Form, type Value } from 'deal-sets';

/** What an assistant gets of a buyer's data, in the words of the declared fields. */
export interface AssistantView {
  readonly seen: readonly string[];
  /** Seen as a description of the car, in place of a name. */
  readonly described: readonly string[];
  readonly never: readonly string[];
}

/** Read from the declarations that the service serializes by, so that the page cannot say anything else. */
export function assistantView(isHosted: boolean): AssistantView {
  const byForm: Record<Form, Set<string>> = {
    same: new Set(),
    described: new Set(),
    null: new Set(),
    false: new Set(),
    'unless-hosted': new Set(),
  };
  for (const shape of reachable([ListResponse, DealSetResponse])) {
    for (const field of Object.values(shape.fields)) {
      // What only holds other fields says nothing by itself.
      if (isLeaf(field.value)) byForm[field.forms.assistant].add(field.description);
    }
  }
  const never = [...byForm.null, ...byForm.false, ...(isHosted ? byForm['unless-hosted'] : [])];
  const seen = [...byForm.same, ...(isHosted ? [] : byForm['unless-hosted'])];
  return { seen, described: [...byForm.described], never };
}

function reachable(roots: readonly AnyShape[]): ReadonlySet<AnyShape> {
  const found = new Set<AnyShape>(roots);
  // A set's iteration also meets what is added on the way.
  for (const shape of found) {
    for (const { value } of Object.values(shape.fields)) {
      for (const inner of shapesIn(value)) found.add(inner);
    }
  }
  return found;
}

function shapesIn(value: Value): readonly AnyShape[] {
  switch (value.is) {
    case 'leaf':
      return [];
    case 'nullable':
    case 'list':
      return shapesIn(value.of);
    case 'object':
      return [value.shape];
    case 'one-of':
      return value.shapes;
  }
}

function isLeaf(value: Value): boolean {
  return shapesIn(value).length === 0;
}
