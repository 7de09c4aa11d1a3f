package main

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// A setting is a flag that describes the installation: every flag of `serve` and `engine`, wherever else it occurs, and the
// flags of the log. Settings are environment variables too, so that one file serves all commands. The other flags say what a
// single command does; they never come from the environment.

// settings is the option of kong that gives settings their environment variables: --fetch-allow is UNCIAL_FETCH_ALLOW. A
// variable in the tag of a flag takes precedence.
func settings() kong.Option {
	return kong.PostBuild(func(k *kong.Kong) error {
		names := flagNames(k.Model.Node)
		for _, command := range k.Model.Children {
			if command.Name == "serve" || command.Name == "engine" {
				names = append(names, flagNames(command)...)
			}
		}
		return kong.Visit(k.Model.Node, func(v kong.Visitable, next kong.Next) error {
			if f, ok := v.(*kong.Flag); ok && len(f.Envs) == 0 && f.Name != "help" && slices.Contains(names, f.Name) {
				variable := "UNCIAL_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
				f.Envs, f.Tag.Envs = []string{variable}, []string{variable}
			}
			if f, ok := v.(*kong.Flag); ok && slices.Equal(f.Envs, []string{"-"}) {
				f.Envs, f.Tag.Envs = nil, nil
			}
			return next(nil)
		})
	})
}

func flagNames(n *kong.Node) (names []string) {
	for _, f := range n.Flags {
		names = append(names, f.Name)
	}
	return names
}

// parsers are the options of kong for values that are parsed. Whole numbers are decimal: kong would read 010 as 8.
func parsers() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		parseInt := func(text string, target reflect.Value) error {
			n, err := strconv.ParseInt(text, 10, target.Type().Bits())
			if err != nil {
				return fmt.Errorf("invalid number %q; use a whole number such as 4", text)
			}
			target.SetInt(n)
			return nil
		}
		parseText := func(text string, target reflect.Value) error {
			return target.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
		}
		for _, t := range []reflect.Type{
			reflect.TypeFor[lifetime](), reflect.TypeFor[overlap](), reflect.TypeFor[retention](), reflect.TypeFor[month](), reflect.TypeFor[prefix](),
		} {
			if err := kong.TypeMapper(t, textMapper(parseText)).Apply(k); err != nil {
				return err
			}
		}
		known := kong.NewRegistry().RegisterDefaults()
		for _, name := range []string{"path", "existingfile", "existingdir"} {
			mapper := notEmpty{known.ForNamedType(name, reflect.TypeFor[string]())}
			if err := kong.NamedMapper(name, mapper).Apply(k); err != nil {
				return err
			}
		}
		return errors.Join(
			kong.KindMapper(reflect.Int, textMapper(parseInt)).Apply(k),
			kong.KindMapper(reflect.Int64, textMapper(parseInt)).Apply(k),
		)
	})
}

// exactStrings keeps the bytes of strings: file names in old archives need not be UTF-8, and kong would replace invalid bytes.
func exactStrings() kong.Option {
	return kong.TypeMapper(reflect.TypeFor[string](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("string")
		if err != nil {
			return err
		}
		text, ok := token.Value.(string)
		if !ok {
			text = fmt.Sprint(token.Value)
		}
		target.SetString(text)
		return nil
	}))
}

// notEmpty is a mapper for files and folders that refuses an empty value, which kong takes for the current folder.
type notEmpty struct{ kong.Mapper }

// Decode implements kong.Mapper.
func (m notEmpty) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if next := ctx.Scan.Peek(); next.IsValue() && next.Value == "" {
		return errors.New("must not be empty")
	}
	return m.Mapper.Decode(ctx, target)
}

// textMapper returns a mapper for values that are parsed from text.
func textMapper(parse func(text string, target reflect.Value) error) kong.Mapper {
	return kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("a")
		if err != nil {
			return err
		}
		return parse(token.String(), target)
	})
}
