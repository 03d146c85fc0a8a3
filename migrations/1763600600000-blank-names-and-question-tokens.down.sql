DROP TRIGGER t0_names_update ON question;
DROP TRIGGER t0_names_insert ON question;
DROP FUNCTION question_refuses_names();
DROP FUNCTION tokens_naming_dealerships(uuid[], uuid[], text[]);
ALTER TABLE deal_set
  DROP CONSTRAINT deal_set_car_model_not_blank,
  DROP CONSTRAINT deal_set_car_make_not_blank;
ALTER TABLE dealership DROP CONSTRAINT dealership_name_not_blank;
DROP FUNCTION is_blank(text);
