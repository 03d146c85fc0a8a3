import {
  DealSetResponse,
  ListResponse,
  reachableShapes,
  shapeOf,
  type Form,
  type Value,
} from 'deal-sets';

/** What an assistant gets of a buyer's data, in the words of the declared fields. */
export interface AssistantView {
  readonly seen: readonly string[];
  /** Seen as a description of the car, in place of a name. */
  readonly described: readonly string[];
  readonly never: readonly string[];
}

/** Read from the declarations that the service redacts by, so that the page cannot say anything else. */
export function assistantView(isHosted: boolean): AssistantView {
  const byForm: Record<Form, Set<string>> = {
    same: new Set(),
    described: new Set(),
    null: new Set(),
    false: new Set(),
    'unless-hosted': new Set(),
  };
  for (const shape of reachableShapes([ListResponse, DealSetResponse].map(shapeOf))) {
    for (const field of Object.values(shape.fields)) {
      // What only holds other fields says nothing by itself.
      if (isLeaf(field.value)) byForm[field.forms.assistant].add(field.description);
    }
  }
  const never = [...byForm.null, ...byForm.false, ...(isHosted ? byForm['unless-hosted'] : [])];
  const seen = [...byForm.same, ...(isHosted ? [] : byForm['unless-hosted'])];
  return { seen, described: [...byForm.described], never };
}

function isLeaf(value: Value): boolean {
  return value.is === 'leaf' || ('of' in value && isLeaf(value.of));
}
