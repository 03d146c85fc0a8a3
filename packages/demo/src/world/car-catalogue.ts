/** A model as it is sold: trims from plain to dear, and the price of the plain one in dollars. */
export interface CarModel {
  readonly make: string;
  readonly model: string;
  readonly trims: readonly string[];
  readonly fromDollars: number;
  readonly drivetrains: readonly string[];
  readonly powertrains: readonly string[];
}

const FRONT = ['FWD', 'AWD'];
const TRUCK = ['RWD', '4x4'];
const GASOLINE = ['Gasoline'];
const BOTH = ['Gasoline', 'Hybrid'];

function model(
  make: string,
  name: string,
  fromDollars: number,
  trims: string,
  drivetrains: readonly string[],
  powertrains: readonly string[],
): CarModel {
  return { make, model: name, fromDollars, trims: trims.split(', '), drivetrains, powertrains };
}

export const CAR_MODELS: readonly CarModel[] = [
  model('Acura', 'MDX', 51_000, 'Base, Technology, A-Spec, Advance, Type S', FRONT, GASOLINE),
  model('Audi', 'Q5', 46_000, 'Premium, Premium Plus, Prestige', ['AWD'], GASOLINE),
  model('BMW', 'X3', 49_500, '30 xDrive, M50 xDrive', ['AWD'], GASOLINE),
  model('Buick', 'Encore GX', 26_500, 'Preferred, Sport Touring, Avenir', FRONT, GASOLINE),
  model('Chevrolet', 'Equinox', 29_000, 'LT, RS, ACTIV', FRONT, GASOLINE),
  model(
    'Chevrolet',
    'Silverado 1500',
    38_000,
    'WT, Custom, LT, RST, LTZ, High Country',
    TRUCK,
    GASOLINE,
  ),
  model('Chevrolet', 'Bolt EUV', 28_000, 'LT, Premier', ['FWD'], ['Electric']),
  model('Ford', 'F-150', 39_500, 'XL, STX, XLT, Lariat, King Ranch, Platinum', TRUCK, BOTH),
  model('Ford', 'Escape', 30_000, 'Active, ST-Line, Platinum, PHEV', FRONT, BOTH),
  model(
    'Ford',
    'Mustang Mach-E',
    40_000,
    'Select, Premium, GT, Rally',
    ['RWD', 'AWD'],
    ['Electric'],
  ),
  model('GMC', 'Sierra 1500', 40_000, 'Pro, SLE, Elevation, SLT, AT4, Denali', TRUCK, GASOLINE),
  model(
    'Honda',
    'Accord',
    29_000,
    'LX, SE, EX-L Hybrid, Sport-L Hybrid, Touring Hybrid',
    ['FWD'],
    BOTH,
  ),
  model(
    'Honda',
    'CR-V',
    31_500,
    'LX, EX, EX-L, Sport Hybrid, Sport-L Hybrid, Sport Touring Hybrid',
    FRONT,
    BOTH,
  ),
  model(
    'Honda',
    'Pilot',
    41_000,
    'Sport, EX-L, Touring, TrailSport, Elite, Black Edition',
    FRONT,
    GASOLINE,
  ),
  model('Hyundai', 'Tucson', 29_500, 'SE, SEL, XRT, SEL Convenience, Limited', FRONT, BOTH),
  model('Hyundai', 'IONIQ 5', 43_500, 'SE, SEL, XRT, Limited', ['RWD', 'AWD'], ['Electric']),
  model(
    'Jeep',
    'Grand Cherokee',
    38_500,
    'Laredo, Altitude, Limited, Overland, Summit',
    ['RWD', '4x4'],
    GASOLINE,
  ),
  model('Jeep', 'Wrangler', 33_500, 'Sport, Willys, Sahara, Rubicon', ['4x4'], BOTH),
  model('Kia', 'Sportage', 29_000, 'LX, EX, SX, X-Line, SX-Prestige, X-Pro', FRONT, BOTH),
  model('Kia', 'Telluride', 37_500, 'LX, S, EX, SX, SX-Prestige X-Pro', FRONT, GASOLINE),
  model(
    'Lexus',
    'RX 350',
    50_000,
    'Base, Premium, Premium+, Luxury, F Sport Handling',
    FRONT,
    BOTH,
  ),
  model(
    'Mazda',
    'CX-5',
    30_000,
    '2.5 S, 2.5 S Select, 2.5 S Preferred, 2.5 Carbon Turbo',
    ['AWD'],
    GASOLINE,
  ),
  model('Mercedes-Benz', 'GLC 300', 49_500, 'Base, 4MATIC, 4MATIC Coupe', ['RWD', 'AWD'], GASOLINE),
  model('Nissan', 'Rogue', 29_500, 'S, SV, Rock Creek, SL, Platinum', FRONT, GASOLINE),
  model(
    'Ram',
    '1500',
    41_000,
    'Tradesman, Big Horn, Laramie, Rebel, Limited, RHO',
    TRUCK,
    GASOLINE,
  ),
  model(
    'Subaru',
    'Outback',
    30_500,
    'Base, Premium, Limited, Touring, Wilderness',
    ['AWD'],
    GASOLINE,
  ),
  model('Subaru', 'Forester', 31_000, 'Base, Premium, Sport, Limited, Touring', ['AWD'], BOTH),
  model('Toyota', 'Camry', 29_500, 'LE, SE, XLE, XSE', FRONT, ['Hybrid']),
  model('Toyota', 'RAV4', 31_500, 'LE, SE, XLE Premium, Woodland, Limited, GR Sport', FRONT, BOTH),
  model(
    'Toyota',
    'Tacoma',
    33_000,
    'SR, SR5, TRD Sport, TRD Off-Road, Limited, TRD Pro',
    TRUCK,
    BOTH,
  ),
  model(
    'Volkswagen',
    'Tiguan',
    30_500,
    'S, SE, SE R-Line Black, SEL R-Line Turbo',
    FRONT,
    GASOLINE,
  ),
  model('Volvo', 'XC60', 48_500, 'Core, Plus, Ultra', ['AWD'], BOTH),
];

export const EXTERIOR_COLORS: readonly string[] = [
  'Oxford White',
  'Platinum White Pearl',
  'Summit White',
  'Crystal Black Pearl',
  'Midnight Black',
  'Agate Black',
  'Lunar Silver Metallic',
  'Celestial Silver',
  'Magnetic Gray',
  'Sonic Gray Pearl',
  'Meteorite Gray',
  'Canyon River Blue',
  'Blueprint',
  'Atlas Blue',
  'Radiant Red',
  'Soul Red Crystal',
  'Ruby Flare Pearl',
  'Army Green',
  'Cypress',
  'Desert Sand',
  'Bronze Oxide',
];

export const INTERIOR_COLORS: readonly string[] = [
  'Black',
  'Gray',
  'Charcoal',
  'Light Stone',
  'Saddle Brown',
  'Macchiato',
  'Red',
];
