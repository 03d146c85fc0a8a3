import { described, type Field, type Value } from '../../response-shape/field.js';

/** A label that names the dealership for the buyer where she may know it, and describes the car for an assistant. */
export function labelled<T>(value: Value<T>, description: string): Field<T, false> {
  return described(value, description, 'For an assistant always a description of the car.');
}
