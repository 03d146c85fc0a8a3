import { DealSetResponse, ListResponse, fieldsOf, reachableDtos, type Form } from 'deal-sets';

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
  for (const dto of reachableDtos([ListResponse, DealSetResponse])) {
    for (const { type, forms, description } of Object.values(fieldsOf(dto))) {
      // What only holds other fields says nothing by itself.
      if (typeof type.type === 'string') byForm[forms.assistant].add(description);
    }
  }
  const never = [...byForm.null, ...byForm.false, ...(isHosted ? byForm['unless-hosted'] : [])];
  const seen = [...byForm.same, ...(isHosted ? [] : byForm['unless-hosted'])];
  return { seen, described: [...byForm.described], never };
}
