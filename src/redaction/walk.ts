import type { Shape, Field, Value } from './field.js';

/** The shapes a value holds directly. */
function shapesIn(value: Value): readonly Shape[] {
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

/** Every shape reachable from the given ones, themselves included, each once. */
export function reachableShapes(roots: readonly Shape[]): Shape[] {
  const found = new Set<Shape>();
  const visit = (shape: Shape): void => {
    if (found.has(shape)) return;
    found.add(shape);
    for (const field of Object.values(shape.fields)) shapesIn(field.value).forEach(visit);
  };
  roots.forEach(visit);
  return [...found];
}

/** A field by its place: the shape's name and the field's, `Row.listedAtCents`. */
export function fieldPath(shape: Shape, name: string): string {
  return `${shape.name}.${name}`;
}

/** A field can be hidden when its absence has a form that every client knows: null, or not there. */
export function isHideable(field: Field): boolean {
  return field.isOptional || field.value.is === 'nullable';
}

/** The discriminator value of a shape in a `one-of`. */
export function wordOf(shape: Shape, discriminator: string): string {
  const value = shape.fields[discriminator]?.value;
  const word = value?.is === 'leaf' ? value.schema['const'] : undefined;
  if (typeof word !== 'string')
    throw new Error(`${shape.name}.${discriminator} names no single word`);
  return word;
}
