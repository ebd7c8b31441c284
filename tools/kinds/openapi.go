package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

type openAPISchema struct {
	Properties  map[string]*openAPISchema `json:"properties"`
	Required    []string                  `json:"required"`
	Default     json.RawMessage           `json:"default"`
	Enum        []string                  `json:"enum"`
	Format      string                    `json:"format"`
	Type        string                    `json:"type"`
	ListType    string                    `json:"x-kubernetes-list-type"`
	ListMapKeys []string                  `json:"x-kubernetes-list-map-keys"`
	MapType     string                    `json:"x-kubernetes-map-type"`
}

func readOpenAPI(folder string) map[string]*openAPISchema {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(files) == 0 {
		log.Fatalf("no OpenAPI documents in %s", folder)
	}
	all := map[string]*openAPISchema{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var document struct {
			Components struct {
				Schemas map[string]*openAPISchema `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(text, &document); err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		for name, s := range document.Components.Schemas {
			all[name] = s
		}
	}
	return all
}

// What the server says of one member, as words of the table. A default of {} on a struct only says that the struct is
// always there, which its Go type says already.
func (s *openAPISchema) words(member string, t reflect.Type) string {
	words := ""
	for _, name := range s.Required {
		if name == member {
			words += " r"
		}
	}
	p := s.Properties[member]
	if p == nil {
		return words
	}
	if p.ListType != "" {
		words += " l=" + p.ListType
	}
	if len(p.ListMapKeys) > 0 {
		words += " K=" + strings.Join(p.ListMapKeys, ",")
	}
	if p.MapType != "" {
		words += " m=" + p.MapType
	}
	if d := string(p.Default); d != "" && d != "{}" {
		if strings.ContainsAny(d, " \n") {
			log.Fatalf("default %s of %s has white space", d, member)
		}
		words += " d=" + d
	}
	if len(p.Enum) > 0 {
		words += " e=" + strings.Join(p.Enum, "|")
	}
	if usual := usualFormat(t); p.Format != usual {
		words += " f=" + p.Format
	}
	return words
}

// The format that follows from the Go type and therefore is not written.
func usualFormat(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch special[t] {
	case "Time", "MicroTime":
		return ""
	case "IntOrString":
		return ""
	}
	switch t.Kind() {
	case reflect.Int32:
		return "int32"
	case reflect.Int64:
		return "int64"
	case reflect.Float64:
		return "double"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "byte"
		}
	}
	return ""
}
