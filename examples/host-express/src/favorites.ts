import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import {
  CurrentPrincipal,
  Endpoint,
  ResponseDto,
  Shown,
  Withheld,
  type Principal,
} from '@deal-sets/service';
import { IsString, MaxLength } from 'class-validator';
import { Column, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';

/** A car that a buyer saved as a favorite, stored through the shop's own connection. */
@Entity('shop_favorite')
export class Favorite {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ name: 'buyer_id', type: 'uuid' }) buyerId!: string;
  @Column({ type: 'text' }) car!: string;
  @Column({ type: 'text' }) remark!: string;
}

@ResponseDto('A car that the buyer remembers.')
class FavoriteResponse {
  @Shown('The car.')
  readonly car!: string;

  @Withheld('The remark in the buyer’s words.', { type: 'text' })
  readonly remark!: string | null;
}

@ResponseDto('The cars that the buyer remembers.')
class FavoritesResponse {
  @Shown('The cars, oldest first.', { type: () => FavoriteResponse, isList: true })
  readonly favorites!: readonly FavoriteResponse[];
}

class NewFavorite {
  @ApiProperty({ description: 'The car.' })
  @IsString()
  @MaxLength(100)
  readonly car!: string;

  @ApiProperty({ description: 'The remark.' })
  @IsString()
  @MaxLength(1000)
  readonly remark!: string;
}

/** Endpoints for the callers of the deal sets: the buyer's session and approved assistants. */
@Controller('favorites')
class FavoritesController {
  constructor(@InjectRepository(Favorite) private readonly favorites: Repository<Favorite>) {}

  @Get()
  @Endpoint({
    flag: 'favorites',
    scope: 'offers:read',
    rateClass: 'favorites',
    summary: 'List favorites',
    response: FavoritesResponse,
  })
  async list(@CurrentPrincipal() { buyerId }: Principal): Promise<FavoritesResponse> {
    return { favorites: await this.favorites.find({ where: { buyerId }, order: { id: 'ASC' } }) };
  }

  @Post()
  @Endpoint({
    flag: 'favorites',
    scope: 'favorites:write',
    rateClass: 'favorites',
    summary: 'Add a favorite',
    body: NewFavorite,
    status: 201,
    response: FavoriteResponse,
  })
  add(
    @CurrentPrincipal() { buyerId }: Principal,
    @Body() favorite: NewFavorite,
  ): Promise<FavoriteResponse> {
    return this.favorites.save({ ...favorite, buyerId });
  }
}

/** The module of the favorites. */
@Module({
  imports: [TypeOrmModule.forFeature([Favorite])],
  controllers: [FavoritesController],
})
export class FavoritesModule {}
