/** What an assistant gets of a label that names the dealership for the buyer where she may know it. */
export const A_CAR = 'For an assistant always a description of the car.';
