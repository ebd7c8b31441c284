package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"reflect"
	"sort"
	"strconv"
	"strings"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types with their own JSON or protobuf form. The word is what the table says.
var special = map[reflect.Type]string{
	reflect.TypeOf(meta.Time{}):                                  "Time",
	reflect.TypeOf(meta.MicroTime{}):                             "MicroTime",
	reflect.TypeOf(meta.FieldsV1{}):                              "FieldsV1",
	reflect.TypeOf(resource.Quantity{}):                          "Quantity",
	reflect.TypeOf(intstr.IntOrString{}):                         "IntOrString",
	reflect.TypeOf(runtime.RawExtension{}):                       "RawExtension",
	reflect.TypeOf(apiextensions.JSON{}):                         "JSON",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrBool{}):        "JSONSchemaPropsOrBool",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrArray{}):       "JSONSchemaPropsOrArray",
	reflect.TypeOf(apiextensions.JSONSchemaPropsOrStringArray{}): "JSONSchemaPropsOrStringArray",
	reflect.TypeOf(meta.Verbs{}):                                 "v1.Verbs=StringList",
	reflect.TypeOf(authentication.ExtraValue{}):                  "v1.ExtraValue=StringList",
	reflect.TypeOf(authorization.ExtraValue{}):                   "v1.ExtraValue=StringList",
}

var marshaler = reflect.TypeOf((*json.Marshaler)(nil)).Elem()

func openAPIName(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	host := strings.Split(path[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(append(append(host, path[1:]...), t.Name()), ".")
}

// The word for a package in the table: "core" for k8s.io/api/core/v1, "autoscaling2" for …/autoscaling/v2.
func alias(t reflect.Type) string {
	path := strings.Split(t.PkgPath(), "/")
	version := strings.TrimPrefix(path[len(path)-1], "v")
	if version == "1" {
		version = ""
	}
	return path[len(path)-2] + version
}

type collection struct {
	said     map[string]*openAPISchema
	packages map[string]string
	queue    []reflect.Type
	done     map[reflect.Type][]string
}

func newCollection(said map[string]*openAPISchema) *collection {
	return &collection{said: said, packages: map[string]string{}, done: map[reflect.Type][]string{}}
}

func (c *collection) reference(t reflect.Type) string {
	a := alias(t)
	prefix := strings.TrimSuffix(openAPIName(t), "."+t.Name())
	if old, ok := c.packages[a]; ok && old != prefix {
		log.Fatalf("alias %s means both %s and %s", a, old, prefix)
	}
	c.packages[a] = prefix
	if _, ok := c.done[t]; !ok {
		c.done[t] = nil
		c.queue = append(c.queue, t)
	}
	return a + "." + t.Name()
}

func (c *collection) close() {
	for len(c.queue) > 0 {
		t := c.queue[0]
		c.queue = c.queue[1:]
		lines := []string{}
		c.fields(t, t, true, &lines)
		c.done[t] = lines
	}
}

// Lines of the members of t as they stand in the JSON of `outer`. Members of embedded structs follow the line of the
// embedded struct itself and have no tag of their own there.
func (c *collection) fields(outer, t reflect.Type, tagged bool, lines *[]string) {
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		parts := strings.Split(f.Tag.Get("json"), ",")
		if parts[0] == "-" || !f.IsExported() {
			continue
		}
		tag := 0
		if tagged {
			tag = protobufTag(t, f)
		}
		if parts[0] == "" {
			if !f.Anonymous || f.Type.Kind() != reflect.Struct {
				log.Fatalf("%v.%s has no JSON name", t, f.Name)
			}
			if tag != 0 {
				*lines = append(*lines, fmt.Sprintf(".%s %d i %s", f.Name, tag, c.reference(f.Type)))
			}
			c.fields(outer, f.Type, false, lines)
			continue
		}
		*lines = append(*lines, c.field(outer, f, parts, tag))
	}
}

func (c *collection) field(outer reflect.Type, f reflect.StructField, parts []string, tag int) string {
	flags := ""
	for _, option := range parts[1:] {
		switch option {
		case "omitempty":
			flags += "o"
		case "omitzero":
			flags += "z"
		case "inline":
		default:
			log.Fatalf("%v.%s: unknown JSON option %s", outer, f.Name, option)
		}
	}
	if flags == "" {
		flags = "-"
	}
	line := fmt.Sprintf("%s %d %s %s", parts[0], tag, flags, c.typeWord(f.Type))
	line += patchWords(f)
	if shape := c.said[openAPIName(outer)]; shape != nil {
		line += shape.words(parts[0], f.Type)
	}
	return line
}

func patchWords(f reflect.StructField) string {
	words := ""
	if s := f.Tag.Get("patchStrategy"); s != "" {
		words += " p=" + s
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		words += " k=" + key
	}
	return words
}

func protobufTag(t reflect.Type, f reflect.StructField) int {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return 0
	}
	number, err := strconv.Atoi(parts[1])
	if err != nil {
		log.Fatalf("%v.%s: protobuf tag %q", t, f.Name, f.Tag.Get("protobuf"))
	}
	return number
}

// The Go name that error messages give, for types whose name does not follow from their structure.
func named(t reflect.Type, word string) string {
	if t.PkgPath() == "" {
		return word
	}
	return t.String() + "=" + word
}

func (c *collection) typeWord(t reflect.Type) string {
	if word, ok := special[t]; ok {
		return word
	}
	if t.Kind() == reflect.Pointer {
		return "*" + c.typeWord(t.Elem())
	}
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		log.Fatalf("%v has a JSON form of its own that the table has no word for", t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.reference(t)
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return named(t, t.Kind().String())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return named(t, "bytes")
		}
		return named(t, "[]"+c.typeWord(t.Elem()))
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			log.Fatalf("%v: map keys are not strings", t)
		}
		return c.mapWord(t)
	}
	log.Fatalf("%v: no word for this type", t)
	return ""
}

func (c *collection) mapWord(t reflect.Type) string {
	word := "{}" + c.typeWord(t.Elem())
	if t.PkgPath() == "" && t.Key().PkgPath() == "" {
		return word
	}
	return t.String() + "=" + word
}

func (c *collection) write(w io.Writer) {
	aliases := []string{}
	for a := range c.packages {
		aliases = append(aliases, a)
	}
	sort.Strings(aliases)
	for _, a := range aliases {
		fmt.Fprintf(w, "P %s %s\n", a, c.packages[a])
	}
	types := []reflect.Type{}
	for t := range c.done {
		types = append(types, t)
	}
	sort.Slice(types, func(i, j int) bool { return c.reference(types[i]) < c.reference(types[j]) })
	for _, t := range types {
		word := ""
		if shape := c.said[openAPIName(t)]; shape != nil && shape.MapType != "" {
			word = " m=" + shape.MapType
		}
		fmt.Fprintf(w, "S %s%s\n", c.reference(t), word)
		for _, line := range c.done[t] {
			fmt.Fprintln(w, line)
		}
	}
}
