/** A car model: trims in ascending order of price, and the price of the first one in dollars. */
export interface CarModel {
  readonly make: string;
  readonly model: string;
  readonly fromDollars: number;
  readonly trims: readonly string[];
  readonly drivetrains: readonly string[];
  readonly powertrains: readonly string[];
}

/** Splits a list that is separated by commas and may span several lines. */
export function items(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

/** Columns: make, model, price in dollars, trims, drivetrains, powertrains. */
const MODELS = `
Acura | MDX | 51000 | Base, Technology, A-Spec, Advance, Type S | FWD, AWD | Gasoline
Audi | Q5 | 46000 | Premium, Premium Plus, Prestige | AWD | Gasoline
BMW | X3 | 49500 | 30 xDrive, M50 xDrive | AWD | Gasoline
Buick | Encore GX | 26500 | Preferred, Sport Touring, Avenir | FWD, AWD | Gasoline
Chevrolet | Equinox | 29000 | LT, RS, ACTIV | FWD, AWD | Gasoline
Chevrolet | Silverado 1500 | 38000 | WT, Custom, LT, RST, LTZ, High Country | RWD, 4x4 | Gasoline
Chevrolet | Bolt EUV | 28000 | LT, Premier | FWD | Electric
Ford | F-150 | 39500 | XL, STX, XLT, Lariat, King Ranch, Platinum | RWD, 4x4 | Gasoline, Hybrid
Ford | Escape | 30000 | Active, ST-Line, Platinum, PHEV | FWD, AWD | Gasoline, Hybrid
Ford | Mustang Mach-E | 40000 | Select, Premium, GT, Rally | RWD, AWD | Electric
GMC | Sierra 1500 | 40000 | Pro, SLE, Elevation, SLT, AT4, Denali | RWD, 4x4 | Gasoline
Honda | Accord | 29000 | LX, SE, EX-L Hybrid, Sport-L Hybrid, Touring Hybrid | FWD | Gasoline, Hybrid
Honda | CR-V | 31500 | LX, EX, EX-L, Sport Hybrid, Sport-L Hybrid, Sport Touring Hybrid | FWD, AWD | Gasoline, Hybrid
Honda | Pilot | 41000 | Sport, EX-L, Touring, TrailSport, Elite, Black Edition | FWD, AWD | Gasoline
Hyundai | Tucson | 29500 | SE, SEL, XRT, SEL Convenience, Limited | FWD, AWD | Gasoline, Hybrid
Hyundai | IONIQ 5 | 43500 | SE, SEL, XRT, Limited | RWD, AWD | Electric
Jeep | Grand Cherokee | 38500 | Laredo, Altitude, Limited, Overland, Summit | RWD, 4x4 | Gasoline
Jeep | Wrangler | 33500 | Sport, Willys, Sahara, Rubicon | 4x4 | Gasoline, Hybrid
Kia | Sportage | 29000 | LX, EX, SX, X-Line, SX-Prestige, X-Pro | FWD, AWD | Gasoline, Hybrid
Kia | Telluride | 37500 | LX, S, EX, SX, SX-Prestige X-Pro | FWD, AWD | Gasoline
Lexus | RX 350 | 50000 | Base, Premium, Premium+, Luxury, F Sport Handling | FWD, AWD | Gasoline, Hybrid
Mazda | CX-5 | 30000 | 2.5 S, 2.5 S Select, 2.5 S Preferred, 2.5 Carbon Turbo | AWD | Gasoline
Mercedes-Benz | GLC 300 | 49500 | Base, 4MATIC, 4MATIC Coupe | RWD, AWD | Gasoline
Nissan | Rogue | 29500 | S, SV, Rock Creek, SL, Platinum | FWD, AWD | Gasoline
Ram | 1500 | 41000 | Tradesman, Big Horn, Laramie, Rebel, Limited, RHO | RWD, 4x4 | Gasoline
Subaru | Outback | 30500 | Base, Premium, Limited, Touring, Wilderness | AWD | Gasoline
Subaru | Forester | 31000 | Base, Premium, Sport, Limited, Touring | AWD | Gasoline, Hybrid
Toyota | Camry | 29500 | LE, SE, XLE, XSE | FWD, AWD | Hybrid
Toyota | RAV4 | 31500 | LE, SE, XLE Premium, Woodland, Limited, GR Sport | FWD, AWD | Gasoline, Hybrid
Toyota | Tacoma | 33000 | SR, SR5, TRD Sport, TRD Off-Road, Limited, TRD Pro | RWD, 4x4 | Gasoline, Hybrid
Volkswagen | Tiguan | 30500 | S, SE, SE R-Line Black, SEL R-Line Turbo | FWD, AWD | Gasoline
Volvo | XC60 | 48500 | Core, Plus, Ultra | AWD | Gasoline, Hybrid
`;

/** The models from which worlds are generated. */
export const CAR_MODELS: readonly CarModel[] = MODELS.trim()
  .split('\n')
  .map((line) => {
    const [make = '', model = '', dollars, ...lists] = line.split(' | ');
    const [trims = [], drivetrains = [], powertrains = []] = lists.map(items);
    return { make, model, fromDollars: Number(dollars), trims, drivetrains, powertrains };
  });

/** The exterior colors, by the manufacturers' names. */
export const EXTERIOR_COLORS = items(`
Oxford White, Platinum White Pearl, Summit White, Crystal Black Pearl, Midnight Black,
Agate Black, Lunar Silver Metallic, Celestial Silver, Magnetic Gray, Sonic Gray Pearl,
Meteorite Gray, Canyon River Blue, Blueprint, Atlas Blue, Radiant Red, Soul Red Crystal,
Ruby Flare Pearl, Army Green, Cypress, Desert Sand, Bronze Oxide
`);

/** The interior colors. */
export const INTERIOR_COLORS = items(
  'Black, Gray, Charcoal, Light Stone, Saddle Brown, Macchiato, Red',
);
