import type { Shape, Field, Fields, Value } from './field.js';
import { fieldPath, reachableShapes } from './walk.js';

/**
 * The response shapes with the fields that a team adds. A shape that holds no extended one is returned as it
 * is, so the declarations of the service are never changed: two applications in one process differ.
 */
export class ShapeAdditions {
  readonly #extended = new Map<Shape, Shape>();

  /** @param added further fields, by the shape that they are added to. */
  constructor(readonly added: ReadonlyMap<Shape, Fields> = new Map()) {}

  /** Paths of the added fields. */
  get paths(): ReadonlySet<string> {
    return new Set(
      [...this.added].flatMap(([shape, fields]) =>
        Object.keys(fields).map((name) => fieldPath(shape, name)),
      ),
    );
  }

  /** The shape as this application sends it. */
  of(shape: Shape): Shape {
    return this.#of(shape);
  }

  #of(shape: Shape): Shape {
    if (this.added.size === 0) return shape;
    const known = this.#extended.get(shape);
    if (known) return known;
    if (!reachableShapes([shape]).some((part) => this.added.has(part))) return shape;
    const fields: Record<string, Field> = {};
    const extended = { ...shape, fields };
    // Entered before it is filled, in case it holds itself.
    this.#extended.set(shape, extended);
    for (const [name, field] of Object.entries(shape.fields)) {
      fields[name] = { ...field, value: this.#value(field.value) };
    }
    Object.assign(fields, this.added.get(shape));
    return extended;
  }

  #value(value: Value): Value {
    switch (value.is) {
      case 'leaf':
        return value;
      case 'nullable':
      case 'list':
        return { ...value, of: this.#value(value.of) };
      case 'object':
        return { ...value, shape: this.#of(value.shape) };
      case 'one-of':
        return { ...value, shapes: value.shapes.map((shape) => this.#of(shape)) };
    }
  }
}
